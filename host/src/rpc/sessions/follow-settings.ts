import { stat } from 'node:fs/promises'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { takeOver } from '../model/take-over.ts'
import type { ChatGround } from './chat-ground.ts'

/** Takes the settings again where their files have changed. */
export type FollowSettings = () => Promise<void>

/** Another page, a command or an editor may have changed them; what only a start can take over waits for that. */
export function createFollowSettings({ generations, home, log }: ChatGround['agent']): FollowSettings {
  const look = async (): Promise<string> => {
    const files = [home.files.config, home.files.env, home.files.auth]
    return (await Promise.all(files.map(stampOf))).join()
  }
  let seen = look()
  let running: Promise<void> = Promise.resolve()
  const follow = async (): Promise<void> => {
    const now = look()
    if ((await seen) === (await now)) return
    seen = now
    try {
      await takeOver(generations)
    } catch (error) {
      if (!isAgentError(error)) throw error
      log.warn(`the settings were not taken over: ${error.message}`)
    }
  }
  return () => {
    running = running.then(follow)
    return running
  }
}

/** A file that is not there has one, too. */
async function stampOf(file: string): Promise<string> {
  return stat(file).then(
    ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
    () => 'none',
  )
}
