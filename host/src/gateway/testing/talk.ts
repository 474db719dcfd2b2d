import { type CompleteConnection, type Connection, completeConnection, manifestSchema, type PlatformManifest } from '@agent/plugin-sdk'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { createPatience } from '../rules/patience.ts'

type Spec = Partial<Omit<PlatformManifest, 'capabilities' | 'limits'>> & {
  readonly capabilities?: Partial<PlatformManifest['capabilities']>
  readonly limits?: Partial<PlatformManifest['limits']>
}

/** The manifest of a messaging platform that can do what a test needs. */
export function talkSpec(more: Spec = {}): PlatformManifest {
  const platform = { id: 'talk', entry: 'dist/talk.js', label: 'Talk', door: 'messaging', reach: 'people', capabilities: {}, limits: {} }
  const { contributes } = manifestSchema.parse({
    ...{ manifestVersion: 1, id: 'talk', name: 'Talk', description: 'Talks.', version: '1.0.0', license: 'MIT', api: {} },
    contributes: { platforms: [{ ...platform, ...more }] },
  })
  const [spec] = contributes.platforms
  if (!spec) throw new Error('no platform')
  return spec
}

/** A connection that does what a test says; everything else is unsupported. */
export function talkConnection(spec: PlatformManifest, methods: Partial<Connection>): CompleteConnection {
  return completeConnection({ lastHeard: async () => Date.now(), close: async () => undefined, ...methods }, spec)
}

/** A platform `talk` as the outbox finds it. */
export function reaching(spec: PlatformManifest, connection: CompleteConnection | undefined, now: () => number = () => 0) {
  const catalog = { find: () => ({ spec }) } as unknown as Pick<Catalog, 'find'>
  return { catalog, links: new Map([['talk', { connection: () => connection }]]), patience: createPatience({ catalog, clock: { now } }) }
}
