import { openEnvironment } from '#config/environment/environment.ts'
import { openHome } from '#config/home/home.ts'
import { openLogs } from '#observe/log.ts'
import type { Cli } from '../console/cli.ts'

/** Writes an error that nobody expected to the log of the home; false where there is no home to write to. */
export async function logError({ environment, profile }: Pick<Cli, 'environment' | 'profile'>, error: unknown): Promise<boolean> {
  try {
    const home = openHome({ environment, ...(profile === undefined ? {} : { profile }) })
    const logs = openLogs({ folder: home.files.logs, level: 'error', mask: openEnvironment(environment).secrets })
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    logs.log('agent').error('a command has ended unexpectedly', { error: text })
    logs.close()
    return true
  } catch {
    // What went wrong first is what is told.
    return false
  }
}
