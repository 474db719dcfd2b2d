import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import { build } from 'esbuild'
import type { TestHome } from '../support/test-home.ts'

export interface PlatformOptions {
  /** Id of the platform; the plugin is `platform-<id>`. */
  readonly id: string
  readonly keys: boolean
  /** Can be asked what became of a send. */
  readonly finds?: boolean
}

/** Puts the fake platform into the home as a plugin. */
export async function addPlatform(home: TestHome, root: string, { id, keys, finds = false }: PlatformOptions): Promise<void> {
  const folder = join(home.home, 'plugins', 'local', `platform-${id}`)
  mkdirSync(folder, { recursive: true })
  const integer = { type: 'integer' }
  const manifest: ManifestInput = {
    manifestVersion: 1,
    id: `platform-${id}`,
    name: id,
    description: 'A messaging service that outlives the gateway.',
    version: '1.0.0',
    license: 'MIT',
    api: { platform: 1 },
    contributes: {
      platforms: [
        {
          id,
          entry: 'dist/platform.js',
          label: id,
          door: 'messaging',
          reach: 'people',
          capabilities: { idempotentSend: keys, findSent: finds },
          // Short, so that long answers have several parts.
          limits: { maxLength: 600 },
          configSchema: {
            type: 'object',
            properties: { port: integer, pauseMs: integer },
            required: ['port', 'pauseMs'],
            additionalProperties: false,
          },
          onByDefault: true,
        },
      ],
    },
    permissions: { net: { value: ['127.0.0.1'], reason: 'The service is on this machine.' } },
  }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  await build({
    entryPoints: [join(root, 'test', 'faults', 'platform.ts')],
    outfile: join(folder, 'dist', 'platform.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}
