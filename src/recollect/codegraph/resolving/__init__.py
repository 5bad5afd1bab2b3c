"""From facts to edges: which file an import means, and which definition a name means."""
