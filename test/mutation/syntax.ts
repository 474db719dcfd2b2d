/** What the harness reads of a node of Babel's tree. */
export interface SyntaxNode {
  readonly type: string
  readonly name?: string
  readonly operator?: string
  readonly pattern?: string
  readonly flags?: string
  readonly callee?: SyntaxNode
  readonly object?: SyntaxNode
  readonly property?: SyntaxNode
  readonly argument?: SyntaxNode
  readonly arguments?: readonly SyntaxNode[]
  readonly properties?: readonly SyntaxNode[]
  readonly expressions?: readonly SyntaxNode[]
  readonly test?: SyntaxNode | null
  readonly value?: unknown
  readonly prefix?: boolean
  readonly shorthand?: boolean
  readonly computed?: boolean
  readonly expression?: SyntaxNode
  readonly id?: SyntaxNode | null
  readonly key?: SyntaxNode
  readonly start?: number | null
  readonly end?: number | null
  readonly loc?: { readonly start: Position; readonly end: Position } | null
}

export interface Position {
  readonly line: number
  readonly column: number
}

export interface SyntaxPath {
  readonly node: SyntaxNode
  readonly parentPath: SyntaxPath | null
  /** Absent where only a part of a file is looked at. */
  readonly scope?: { hasBinding(name: string): boolean }
  readonly hub: { readonly file: { readonly opts: { readonly filename: string }; readonly code: string } }
  /** The nearest of this path and its ancestors that fits. */
  find(fits: (path: SyntaxPath) => boolean): SyntaxPath | null
}

/** A way to change code: yields what may stand in the place of a node. */
export interface Mutator {
  readonly name: string
  mutate(path: SyntaxPath): Iterable<SyntaxNode>
}
