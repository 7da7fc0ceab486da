"""Parts of every service around its work; without any event service or federation."""
