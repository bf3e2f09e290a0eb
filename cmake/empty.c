/* Holds the place of optional sources in a library that may have none. */
typedef int fa__empty;
