"""What every scenario needs: run folders, programs in order, command lines, exit statuses."""
