// @module-tag process
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { expect, test } from 'vitest'

const { hostOptions } = (await import(new URL('./bundle.mjs', import.meta.url).href)) as { hostOptions(folder: string): BuildOptions }
const host = join(import.meta.dirname, '..')
// Split into what is loaded together: in one file that is what runs together.
const split = {
  format: 'esm',
  splitting: true,
  banner: {},
  footer: {},
  supported: {},
  outdir: join(host, 'dist.tmp'),
  write: false,
} as const
const options = hostOptions(host)
const plugins = options.plugins?.filter(({ name }) => name !== 'ascii-with-print') ?? []
const built = await build({ ...options, ...split, plugins, metafile: true })
const outputs: Metafile['outputs'] = built.metafile?.outputs ?? {}

/** Sources that are loaded with these. */
function loadedWith(sources: readonly string[]): readonly string[] {
  const chunks = Object.keys(outputs).filter((chunk) => sources.includes(outputs[chunk]?.entryPoint ?? ''))
  expect(chunks).toHaveLength(sources.length)
  const seen = new Set<string>()
  const visit = (chunk: string): void => {
    if (seen.has(chunk)) return
    seen.add(chunk)
    for (const { path, kind } of outputs[chunk]?.imports ?? []) if (kind === 'import-statement' && outputs[path]) visit(path)
  }
  for (const chunk of chunks) visit(chunk)
  return [...seen].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}))
}

const always = ['src/cli/main.ts', 'src/cli/run-commander.ts', 'src/config/file/read-config.ts']

test.each([
  ['the list of plugins', ['src/cli/commands/plugins.ts']],
  ['the gateway', ['src/cli/commands/gateway.ts', 'src/cli/gateway/run.ts', 'src/models/protocols/openai-chat/openai-chat.ts']],
  ['a single question', ['src/cli/commands/chat.ts', 'src/cli/chat/one-shot.ts', 'src/models/protocols/openai-chat/openai-chat.ts']],
])('%s starts without zod', (_what, sources) => {
  const loaded = loadedWith([...always, ...sources])
  expect(loaded).toEqual(expect.arrayContaining(['src/kernel/schema/quick-schema.ts', ...sources]))
  expect(loaded.filter((source) => source.includes('node_modules/zod/'))).toEqual([])
})

test('a program that explains what is wrong loads zod for it', () => {
  for (const source of ['src/kernel/installed/parse-manifest.ts', 'src/kernel/schema/compile-schema.ts', 'src/config/schema/validate.ts'])
    expect(loadedWith([source]).filter((loaded) => loaded.includes('node_modules/zod/')).length).toBeGreaterThan(5)
})
