"""Page of evaluation: begin with page.py; jobs.py runs on the thread of the engine."""
