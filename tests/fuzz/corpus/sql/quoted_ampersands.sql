SELECT "&abc", "&", "&" FROM "&t"; SHOW a.all; RESET a.all;
