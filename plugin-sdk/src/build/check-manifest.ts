import { fail } from '../contract/errors.ts'
import { type KindContract, type Problem, repeated } from '../kinds/contract.ts'
import { contractKinds, contracts, kinds, specsOf } from '../kinds/kinds.ts'
import { type Manifest, manifestSchema } from '../kinds/manifest.ts'
import { definitionPath, explainIssue } from './explain-issue.ts'

/**
 * Parses a manifest and checks what a schema cannot say: names that must point to something. `file` is what the author has written: the manifest, or
 * with `defined` the definition that it was made of, whose places are then told.
 */
export function checkManifest(file: string, written: unknown, { defined = false }: { readonly defined?: boolean } = {}): Manifest {
  const parsed = manifestSchema.safeParse(written, { reportInput: true })
  if (!parsed.success) {
    const { issues } = parsed.error
    // A name that is not known is the likely reason why another one is missing.
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
    const path = (defined ? definitionPath(issue?.path ?? [], written) : issue?.path.join('.')) || '(top)'
    const problem = issue ? explainIssue(issue, manifestSchema) : 'is not a manifest'
    throw fail('PLUGIN_MANIFEST_INVALID', { file, path, problem }, { cause: parsed.error })
  }
  const [problem] = problemsOf(parsed.data)
  if (problem) throw fail('PLUGIN_MANIFEST_INVALID', { file, ...problem })
  return parsed.data
}

type Fields = { readonly id: string; readonly env?: readonly string[] } & Readonly<Record<string, unknown>>

function problemsOf(manifest: Manifest): readonly Problem[] {
  return contractKinds.flatMap((kind) => {
    const { list } = kinds[kind]
    // Each contract is asked about what its own schema has checked.
    const { problems, variables, parts } = contracts[kind] as KindContract
    const specs = specsOf(manifest, kind) as readonly unknown[] as readonly Fields[]
    if (specs.length === 0) return []
    return [
      ...specs.flatMap((spec) => {
        const path = `${list}.${spec.id}`
        return [...undeclared(manifest, path, { env: spec.env, ...variables?.(spec) }), ...(problems?.(spec, path) ?? [])]
      }),
      ...(parts ? repeated(specs.flatMap(parts.of), parts.called) : []),
      ...repeated(
        specs.map(({ id }) => id),
        list,
      ),
      ...(manifest.api[kind] === undefined ? [{ path: 'api', problem: `lacks ${kind}: 1` }] : []),
    ]
  })
}

/** Variables that a contribution names and its plugin does not. */
function undeclared(
  manifest: Manifest,
  path: string,
  named: Readonly<Record<string, string | readonly string[] | undefined>>,
): readonly Problem[] {
  const declared = new Set(manifest.env.map((variable) => variable.name))
  return Object.entries(named).flatMap(([field, names = []]) =>
    [names]
      .flat()
      .filter((name) => !declared.has(name))
      .map((name) => ({ path: `${path}.${field}`, problem: `names ${name}, which env does not list` })),
  )
}
