import type { GateWorld } from '@agent/plugin-sdk/testing'
import { openDirectory } from './directory.ts'

/** What the contract suite does with this gate. */
export async function openWorld(): Promise<GateWorld> {
  const directory = await openDirectory('right-key')
  const config = { server: directory.url, people: ['ann'] }
  return {
    config,
    secrets: { SAMPLE_DIRECTORY_KEY: 'right-key' },
    right: { name: 'ann', password: 'the words of ann' },
    stranger: { name: 'eve', password: 'the words of eve' },
    silent: { config, secrets: { SAMPLE_DIRECTORY_KEY: 'silence' } },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}
