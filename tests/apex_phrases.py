"""Phrases of 001's tables and appendix with their intents; never used for training (S6.4)."""

from collections.abc import Mapping, Sequence

TABLE: Sequence[tuple[str, str]] = (
    ("How are X and Y related?", "graph_traversal"),
    ("What connects X to Y?", "graph_traversal"),
    ("Find documents similar to...", "vector_similarity"),
    ("Show me papers like...", "vector_similarity"),
    ("Documents by author X on topic Y", "hybrid_search"),
    ("Filter by date/tag/metadata...", "hybrid_search"),
)

FOR_THE_LLM: Sequence[tuple[str, str]] = (
    ("How have X and Y's relationship changed?", "temporal_reasoning"),
    ("Find similar relationships to X", "multi_database"),
    ("Papers by X that relate to Y's work", "multi_database"),
    ("What patterns exist in X's connections?", "temporal_reasoning"),
)

APPENDIX: Mapping[str, Sequence[str]] = {
    "graph_traversal": (
        "How are entities X and Y related?",
        "What is the shortest path between X and Y?",
        "Show me all connections between X and Y",
        "What entities are 2 hops away from X?",
    ),
    "vector_similarity": (
        "Find documents similar to this concept",
        "What papers are semantically related to X?",
        "Show me content like this example",
        "Recommend documents based on my interests",
    ),
    "hybrid_search": (
        "Papers by author X on topic Y since 2023",
        "Documents with tag Z mentioning concept W",
        "Filter by date, then rank by semantic similarity",
        "Metadata search + semantic reranking",
    ),
    "temporal_reasoning": (
        "How has X's relationship with Y changed over time?",
        "What patterns emerged in X's connections during 2023?",
        "Track the evolution of entity X's network",
        "Temporal graph queries with time-aware filtering",
    ),
    "multi_database": (
        "Find similar relationships to X's network",
        "Papers by X that relate to Y's connections",
        "Trending topics in X's research network",
        "Cross-reference metadata with graph patterns",
    ),
}

PHRASES = (*TABLE, *FOR_THE_LLM, *((text, intent) for intent, texts in APPENDIX.items() for text in texts))
