import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** A PNG of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  const workspace = await mkdtemp(join(tmpdir(), 'images-contract-'))
  await writeFile(join(workspace, 'there.png'), pixel)
  return {
    config: {},
    workspace,
    images: {
      generate: async function* ({ prompt }, { signal }) {
        if (prompt === 'silence') await untilGivenUp(signal)
        yield pixel
      },
      describe: async ({ question }) => `An answer to: ${question}`,
    },
    good: [
      { tool: 'image_generate', args: { prompt: 'a rose', shape: 'square', path: 'a/rose.png' } },
      { tool: 'vision_analyze', args: { path: 'there.png', question: 'What is it?' } },
    ],
    failing: { tool: 'vision_analyze', args: { path: 'missing.png', question: 'What is it?' } },
    hanging: { tool: 'image_generate', args: { prompt: 'silence', shape: 'square' } },
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  }
}

function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
