/** For single quotes in a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export interface ScriptOptions {
  /** File of `export` lines to start with. */
  readonly variables?: string
  /** Where folder and variables are written when the shell ends, however it does. */
  readonly draft?: { readonly folder: string; readonly variables: string }
}

/** The script around a command, which is its first argument. One stream for all output, so that its order is kept. */
export function shellScript({ variables, draft }: ScriptOptions): string {
  const lines = ['exec 2>&1']
  if (variables !== undefined) lines.push(`. ${quoted(variables)}`)
  if (draft) lines.push(`trap ${quoted(`export -p >${quoted(draft.variables)}; pwd >${quoted(draft.folder)}`)} EXIT`)
  lines.push('agent_command=$1', 'shift', 'eval "$agent_command"')
  return lines.join('\n')
}
