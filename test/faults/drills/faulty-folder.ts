import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import { build } from 'esbuild'
import type { TestHome } from '../../support/test-home.ts'

export const faultyPlugin = 'platform-faulty'

export function faultyFolder({ home }: TestHome): string {
  return join(home, 'plugins', 'local', faultyPlugin)
}

/** Puts the faulty platform into the home. What it asks for differs from the other platforms, so that its child is its own. */
export async function addFaulty(
  home: TestHome,
  change: (manifest: ManifestInput) => ManifestInput = (manifest) => manifest,
): Promise<void> {
  const folder = faultyFolder(home)
  mkdirSync(folder, { recursive: true })
  const integer = { type: 'integer' }
  const manifest: ManifestInput = {
    ...{ manifestVersion: 1, id: faultyPlugin, name: 'Faulty', description: 'Goes wrong.', version: '1.0.0', license: 'MIT' },
    api: { platform: 1 },
    contributes: {
      platforms: [
        {
          ...{ id: 'faulty', entry: 'dist/platform.js', label: 'Faulty', door: 'messaging', reach: 'people', reception: 'continuous' },
          ...{ capabilities: { idempotentSend: true }, limits: {}, connectTimeoutMs: 2000, onByDefault: true },
          configSchema: {
            type: 'object',
            properties: { port: integer, pauseMs: integer, fault: { type: 'string' } },
            required: ['port', 'pauseMs', 'fault'],
            additionalProperties: false,
          },
        },
      ],
    },
    permissions: { net: { value: ['127.0.0.1', 'faulty.invalid'], reason: 'The service is on this machine.' } },
  }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(change(manifest)))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await build({
    entryPoints: [join(process.cwd(), 'test', 'faults', 'drills', 'faulty-platform.ts')],
    outfile: join(folder, 'dist', 'platform.js'),
    ...{ bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' },
  })
}
