import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { build } from 'esbuild'
import type { Bench } from '../../figure.ts'

/** The newest that run on the oldest Node that we support. */
const packages: Readonly<Record<string, string>> = {
  openai: '6.49.0',
  '@anthropic-ai/sdk': '1.12.0',
  '@google/genai': '2.32.0',
  '@aws-sdk/client-bedrock-runtime': '3.1164.0',
  '@smithy/node-http-handler': '4',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/openai-compatible': '2.0.87',
  '@ai-sdk/anthropic': '3.0.138',
  '@ai-sdk/google': '3.0.141',
  '@ai-sdk/amazon-bedrock': '4.0.186',
}

/** Clients of others are no dependencies of ours: they are installed on demand, once, where nothing looks for packages. */
export async function installClients({ root, signal }: Bench): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', 'bench-models')
  const done = join(folder, 'installed.json')
  mkdirSync(folder, { recursive: true })
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: packages })
  writeFileSync(join(folder, 'package.json'), wanted)
  if (!existsSync(done)) {
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, signal }).catch((cause) => {
      throw fail('INTERNAL', { detail: `the clients of vendors cannot be installed from npm: ${detailOf(cause)}` }, { cause })
    })
    writeFileSync(done, wanted)
  }
  for (const name of ['measure.mjs', 'vendors.mjs']) copyFileSync(join(root, 'test/bench/programs/models', name), join(folder, name))
  return folder
}

/** Our own client as one program. */
export async function bundleOwn({ root }: Bench): Promise<string> {
  const outfile = join(root, 'node_modules', '.cache', 'bench-models-own.mjs')
  await build({
    ...{ entryPoints: [join(root, 'test/bench/programs/models/own.mjs')], outfile, bundle: true, format: 'esm', platform: 'node' },
    ...{ target: 'node20', conditions: ['agent-source'], logLevel: 'silent' },
    plugins: [
      {
        name: 'packages-stay',
        setup: (bundle) =>
          bundle.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) =>
            path.startsWith('@agent/') || kind === 'entry-point' ? undefined : { path, external: true },
          ),
      },
    ],
  })
  return outfile
}
