import type { Cli } from '../../console/cli.ts'
import type { Device } from './live-region.ts'

/** The terminal of this process. */
export function openDevice({ steer, environment }: Pick<Cli, 'steer' | 'environment'>): Device {
  const { stdout } = process
  return {
    columns: () => stdout.columns || 80,
    rows: () => stdout.rows || 24,
    breaksAgain: breaksAgain(environment),
    write: steer,
    onResize: (listener) => {
      stdout.on('resize', listener)
      return () => void stdout.off('resize', listener)
    },
  }
}

function breaksAgain({ TERM_PROGRAM, XTERM_VERSION, TERM = '', TMUX }: Cli['environment']): Device['breaksAgain'] {
  if (TERM_PROGRAM === 'vscode') return 'above-cursor'
  return XTERM_VERSION || (TERM.startsWith('screen') && !TMUX) ? 'none' : 'all'
}
