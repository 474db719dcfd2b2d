import type { Mutator, SyntaxNode, SyntaxPath } from './syntax.ts'

const nothing: SyntaxNode = { type: 'Identifier', name: 'undefined' }

/** Drops a statement that is a call: the line that hooks a part up. */
const droppedCall: Mutator = {
  name: 'DroppedCall',
  *mutate(path) {
    if (!isStatement(path)) return
    const call = path.node.type === 'AwaitExpression' || path.node.operator === 'void' ? path.node.argument : path.node
    if (call?.type.endsWith('CallExpression') && call.callee?.type !== 'Super') yield nothing
  },
}

/** Starts a step without waiting for its end. */
const droppedAwait: Mutator = {
  name: 'DroppedAwait',
  *mutate(path) {
    if (isStatement(path) && path.node.type === 'AwaitExpression' && path.node.argument) yield path.node.argument
  },
}

/** A pattern is one rule: it may match nothing, or more than from its beginning to its end. */
const widerPattern: Mutator = {
  name: 'WiderPattern',
  *mutate({ node }) {
    const { type, pattern, flags = '' } = node
    if (type !== 'RegExpLiteral' || pattern === undefined) return
    yield { type, pattern: '(?!)', flags }
    // Without its only sign a pattern would be the beginning of a comment.
    if (/^\^[^|]+$/.test(pattern)) yield { type, pattern: pattern.slice(1), flags }
    if (/^[^|]*[^\\]\$$/.test(pattern)) yield { type, pattern: pattern.slice(0, -1), flags }
  },
}

function isStatement(path: SyntaxPath): boolean {
  return path.parentPath?.node.type === 'ExpressionStatement'
}

/** What Stryker does not do by itself, or does too finely: the lines that connect parts, and patterns. */
export const ownMutators: readonly Mutator[] = [droppedCall, droppedAwait, widerPattern]
