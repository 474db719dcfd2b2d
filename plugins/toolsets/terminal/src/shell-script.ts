import { markVariable } from './process-tree.ts'

/** For single quotes in a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Number of the pipe on which the shell tells its state. */
export const statePipe = 4
/** The variable that brings the exported ones of the last command. */
export const stateVariable = 'AGENT_SHELL_STATE'
/** Ends each of the three parts: folder, exported variables, jobs that still run. */
export const partEnd = '\0'

export interface ScriptOptions {
  readonly shell: string
  /** Where the command runs, or not at all. */
  readonly folder: string
  /** It is another one than that of the state. */
  readonly moves: boolean
  /** Whether the shell tells its state when it ends, however it does. */
  readonly tells: boolean
  /** Which command this is. */
  readonly mark: string
}

/** The script around a command, which is its first argument. One stream for all output, so that its order is kept. */
export function shellScript({ shell, folder, moves, tells, mark }: ScriptOptions): string {
  const jobs = shell.endsWith('bash') ? 'jobs -rp' : 'jobs -p'
  const end = "printf '\\000'"
  const state = `{ pwd; ${end}; unset ${markVariable}; export -p; ${end}; ${jobs}; ${end}; } >&${statePipe} 2>/dev/null`
  const enter = `command cd -- ${quoted(folder)} 2>/dev/null`
  return [
    'exec 2>&1',
    // Before the state, which says where `cd -` leads.
    `${enter}; agent_missing=$?`,
    `eval "$${stateVariable}"`,
    `unset ${stateVariable}`,
    `export ${markVariable}=${mark}`,
    ...(moves ? [enter] : []),
    ...(tells ? [`trap ${quoted(state)} EXIT`] : []),
    `[ "$agent_missing" = 0 ] || { printf '%s\\n' ${quoted(`there is no folder ${folder}`)}; exit 1; }`,
    'agent_command=$1',
    'shift',
    // What it starts does not get the pipe, and so cannot hold it open.
    `eval "$agent_command" ${statePipe}>&-`,
  ].join('\n')
}
