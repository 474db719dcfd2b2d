import { fail } from '@agent/plugin-sdk/errors'

/** The closed list of reasons why a plugin is not published. Each completes "<package>: …". */
export const publishRefusals = {
  'name-invalid': () =>
    'no package can have this name; "name" of package.json is lower-case letters, digits, hyphens and dots, perhaps after @scope/',
  'version-invalid': (p: { version: string }) => `${p.version} is no version; "version" of package.json looks like 1.0.0 or 1.0.0-beta.1`,
  private: () => 'package.json says "private": true, which keeps it from every registry; take that out',
  'license-missing': () => 'package.json names no license, so that nobody may use it; put in "license": "MIT" or another one',
  'readme-missing': () => 'there is no README.md that says how to install, set up and remove it',
  'rules-broken': (p: { outcome: string }) => `${p.outcome}; agent plugins check shows them`,
  'tag-invalid': (p: { tag: string }) => `${p.tag} cannot be a tag, which is a word such as next and no version`,
  'tag-needed': (p: { version: string; latest: string }) =>
    `${p.version} would become what everybody gets${p.latest === '' ? ', although it is a pre-release' : `, although ${p.latest} is newer`}; say under which tag it goes: --tag next`,
  'version-taken': (p: { version: string }) =>
    `the registry has version ${p.version} already and takes none twice; raise "version" of package.json`,
  'login-missing': (p: { registry: string }) => `nobody is logged in at ${p.registry}; run npm login --registry=${p.registry}`,
  'registry-silent': (p: { problem: string }) => `the registry could not be asked: ${p.problem}`,
  'upload-failed': (p: { problem: string }) => `it was not published: ${p.problem}`,
} as const satisfies Record<string, (params: never) => string>

export type PublishRefusal = keyof typeof publishRefusals
type ParamsOf<Code extends PublishRefusal> = (typeof publishRefusals)[Code] extends () => string
  ? unknown
  : Parameters<(typeof publishRefusals)[Code]>[0]

/** Something that stands in the way of publishing. */
export interface Obstacle {
  readonly reason: PublishRefusal
  readonly problem: string
}

export function obstacle<Code extends PublishRefusal>(reason: Code, params: ParamsOf<Code>): Obstacle {
  const sentence = publishRefusals[reason] as (params: unknown) => string
  return { reason, problem: sentence(params) }
}

/** The error of an obstacle, to throw. */
export function refusePublishing(name: string, { reason, problem }: Obstacle): Error {
  return fail('PLUGIN_REFUSED', { package: name, reason, problem })
}
