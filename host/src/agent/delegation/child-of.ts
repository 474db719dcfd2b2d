import type { ModelChoice, ModelSettings } from '#models/request/endpoint.ts'
import type { TreeOfAgents } from './tree.ts'

/** The model of a child, where it is not the one of its parent. */
export type ChildChoice = Pick<ModelChoice, 'provider' | 'model'> & { readonly settings?: ModelSettings }

/** What makes a turn the one of a child agent. */
export interface ChildOf {
  readonly id: string
  /** The session of the turn that it works for. */
  readonly parent: string
  readonly depth: number
  /** The beginning of its task. */
  readonly goal: string
  readonly tree: TreeOfAgents
  readonly choice: ChildChoice | undefined
  readonly maxSteps: number
  /** The tools of its parent: it has no others. */
  readonly tools: ReadonlySet<string>
  /** Of these only those toolsets; absent: all of them. */
  readonly toolsets: readonly string[] | undefined
  readonly mayDelegate: boolean
  /** It works on behind the turn, which answers for none of what it changes. */
  readonly isBackground: boolean
  /** What people allowed its parent for the rest of the session. */
  readonly approved: Set<string>
}
