use dev;
