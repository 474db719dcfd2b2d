import type { Cli } from '../../console/cli.ts'
import type { Device } from './live-region.ts'

/** The terminal of this process. */
export function openDevice(cli: Pick<Cli, 'steer'>): Device {
  const { stdout } = process
  return {
    columns: () => stdout.columns || 80,
    rows: () => stdout.rows || 24,
    write: cli.steer,
    onResize: (listener) => {
      stdout.on('resize', listener)
      return () => void stdout.off('resize', listener)
    },
  }
}
