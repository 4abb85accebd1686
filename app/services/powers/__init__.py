"""Running powers: started only with an approval, supervised, stopped; previews of edits."""
