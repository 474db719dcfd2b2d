import { type Manifest, type ManifestInput, manifestSchema } from '../../kinds/manifest.ts'

const manifest = (id: string, rest: Partial<ManifestInput>): Manifest =>
  manifestSchema.parse({
    manifestVersion: 1,
    id,
    name: id,
    description: 'For the tests of the contract suites.',
    version: '1.0.0',
    license: 'MIT',
    api: { platform: 1, provider: 1, toolset: 1 },
    ...rest,
  })

/** Manifests of the sound plugins, which the broken ones claim as theirs. */
export const manifests = {
  platform: manifest('platform-mailbox', {
    env: [{ name: 'MAILBOX_TOKEN', secret: true, required: true, prompt: 'Token' }],
    contributes: {
      platforms: [
        {
          id: 'mailbox',
          entry: 'dist/platform.mailbox.js',
          label: 'Mailbox',
          door: 'messaging',
          reach: 'people',
          capabilities: {},
          limits: {},
          env: ['MAILBOX_TOKEN'],
        },
      ],
    },
  }),
  provider: manifest('provider-parrot', {
    contributes: { providers: [{ id: 'parrot', label: 'Parrot', auth: 'none', entry: 'dist/provider.parrot.js' }] },
  }),
  toolset: manifest('toolset-box', {
    contributes: {
      toolsets: [
        {
          id: 'box',
          label: 'Box',
          entry: 'dist/toolset.box.js',
          tools: ['put', 'wait', 'count'].map((name) => ({ name, description: name, effect: 'none', parameters: { type: 'object' } })),
        },
      ],
    },
  }),
} as const
