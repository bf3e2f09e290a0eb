/* What every plugin includes: its table is its only symbol. The number goes up when any table changes;
 * src/base/plugin.c asks for it. */
#ifndef FA__PLUGINS_PLUGIN_H
#define FA__PLUGINS_PLUGIN_H
#define FA__PLUGIN __attribute__((__visibility__("default")))
#define FA__PLUGIN_TABLE facula_plugin_3
#endif
