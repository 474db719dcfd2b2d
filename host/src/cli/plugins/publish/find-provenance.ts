import type { OwnPackage } from './read-package.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Whether the registry can be told where a package was built, and why not where it cannot. */
export interface Provenance {
  readonly made: boolean
  readonly why: string
}

/** A run of a CI that vouches for itself with a token that it is given. */
function findRun(environment: Environment): { readonly name: string; readonly vouches: boolean } | undefined {
  if (environment.GITHUB_ACTIONS === 'true') return { name: 'GitHub Actions', vouches: Boolean(environment.ACTIONS_ID_TOKEN_REQUEST_URL) }
  if (environment.GITLAB_CI === 'true') return { name: 'GitLab CI', vouches: Boolean(environment.SIGSTORE_ID_TOKEN) }
  return undefined
}

const isPublic = (registry: string): boolean => new URL(registry).host === 'registry.npmjs.org'

/** Provenance is a statement that a CI signs; npm's own registry is the one that checks and shows it. */
export function findProvenance({ name, scope, publishConfig }: OwnPackage, registry: string, environment: Environment): Provenance {
  const left = (why: string): Provenance => ({ made: false, why })
  if (!isPublic(registry)) return left(`${registry} keeps none`)
  const run = findRun(environment)
  if (run === undefined) return left('it is made by a run of GitHub Actions or GitLab CI, which signs what it has built')
  if (!run.vouches) {
    const missing = run.name === 'GitLab CI' ? 'id_tokens with SIGSTORE_ID_TOKEN' : 'the permission id-token: write'
    return left(`this run of ${run.name} has not ${missing}`)
  }
  if (scope !== undefined && publishConfig.access !== 'public') {
    return left(`${name} is not said to be public: "publishConfig": { "access": "public" } in package.json`)
  }
  return { made: true, why: `signed by ${run.name}` }
}

/** Who publishes where a run of a CI needs no token of a person, because the registry trusts it. */
export function findTrust(registry: string, environment: Environment): string | undefined {
  const run = isPublic(registry) ? findRun(environment) : undefined
  return run?.vouches ? run.name : undefined
}
