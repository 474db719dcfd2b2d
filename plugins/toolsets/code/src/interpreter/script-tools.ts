/** The tools that a script may call, each with the names of its arguments in the order in which a script may give them without a name. */
export const scriptTools: Readonly<Record<string, readonly string[]>> = {
  web_search: ['query', 'limit'],
  web_extract: ['urls'],
  read_file: ['path', 'offset', 'limit'],
  write_file: ['path', 'content'],
  search_files: ['pattern', 'path'],
  patch: ['path', 'old_string', 'new_string'],
  terminal: ['command', 'timeout'],
}
