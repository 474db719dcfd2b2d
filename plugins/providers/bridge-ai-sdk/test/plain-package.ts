import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Puts a package without dependencies into a folder, as npm would: its one model says what it sees of the machine. */
export function addPlainPackage(folder: string): void {
  const root = join(folder, 'node_modules', 'plain-ai')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'plain-ai', type: 'module', exports: { import: './plain.js' } }))
  writeFileSync(
    join(root, 'plain.js'),
    `export const createPlain = ({ apiKey }) => (id) => ({
      specificationVersion: 'v2',
      provider: 'plain',
      modelId: id,
      async doStream() {
        const parts = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: JSON.stringify({ id, apiKey, sees: Object.keys(process.env), parent: process.ppid }) },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 } },
        ]
        return { stream: new ReadableStream({ start(to) { for (const part of parts) to.enqueue(part); to.close() } }) }
      },
    })`,
  )
}
