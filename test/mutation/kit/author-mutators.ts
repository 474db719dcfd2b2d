import { finalCodes } from '../../../plugin-sdk/src/contract/errors.ts'
import type { Mutator, SyntaxNode, SyntaxPath } from '../syntax.ts'

/** Calls by which something reaches a service, its people or the host. */
const telling = /^(send\w*|say|reply|write\w*|post|publish|push|put|receive|accept|deliver|emit|lost|request)$/

/** The same once more: a message that is doubled, a loss that is told twice. */
const doubledCall: Mutator = {
  name: 'DoubledCall',
  *mutate(path) {
    if (path.parentPath?.node.type !== 'ExpressionStatement') return
    const call = path.node.type === 'AwaitExpression' || path.node.operator === 'void' ? path.node.argument : path.node
    const name = call?.callee?.name ?? call?.callee?.property?.name
    if (call?.type.endsWith('CallExpression') && telling.test(name ?? '')) {
      yield { type: 'SequenceExpression', expressions: [path.node, path.node] }
    }
  },
}

/** An error loses its code, a final one is told like an outage, or an outage like a final one. */
const otherCode: Mutator = {
  name: 'OtherCode',
  *mutate({ node }) {
    const [code, ...rest] = node.arguments ?? []
    if (!node.type.endsWith('CallExpression') || node.callee?.name !== 'fail' || code?.type !== 'StringLiteral') return
    yield { type: 'NewExpression', callee: { type: 'Identifier', name: 'Error' }, arguments: [code] }
    const other = finalCodes.has(String(code.value)) ? 'PLATFORM_UNREACHABLE' : 'PLATFORM_AUTH'
    yield { ...node, arguments: [{ type: 'StringLiteral', value: other }, ...rest] }
  },
}

/** A field is not told: a lost reply-to, a message without its sender. */
const lostField: Mutator = {
  name: 'LostField',
  *mutate({ node, parentPath }) {
    if (!/^Object(Property|Method)$/.test(node.type) || parentPath?.node.type !== 'ObjectExpression') return
    yield { type: 'SpreadElement', argument: { type: 'ObjectExpression', properties: [] } }
  },
}

/** The test of a branch is the wrong way round. */
const swappedCondition: Mutator = {
  name: 'SwappedCondition',
  *mutate({ node, parentPath }) {
    if (!/^(IfStatement|ConditionalExpression)$/.test(parentPath?.node.type ?? '') || parentPath?.node.test !== node) return
    yield { type: 'UnaryExpression', operator: '!', prefix: true, argument: node }
  },
}

/** A log line holds the settings too, among which are secrets. */
const leakedSettings: Mutator = {
  name: 'LeakedSettings',
  *mutate(path) {
    if (!isLogLine(path) || !path.scope?.hasBinding('settings')) return
    const settings: SyntaxNode = { type: 'Identifier', name: 'settings' }
    const [text, fields] = path.node.arguments ?? []
    const properties: SyntaxNode[] = [
      ...(fields ? [{ type: 'SpreadElement', argument: fields }] : []),
      { type: 'ObjectProperty', key: settings, value: settings, shorthand: true, computed: false },
    ]
    yield { ...path.node, arguments: [...(text ? [text] : []), { type: 'ObjectExpression', properties }] }
  },
}

/** Whether this is a statement that writes a line of the log. */
export function isLogLine({ node, parentPath }: SyntaxPath): boolean {
  if (parentPath?.node.type !== 'ExpressionStatement' || !node.type.endsWith('CallExpression')) return false
  const of = node.callee?.object
  return /^(log|logger)$/.test(of?.property?.name ?? of?.name ?? '')
}

/** Faults of authors that neither Stryker nor the mutators of the tests know. */
export const authorMutators: readonly Mutator[] = [doubledCall, otherCode, lostField, swappedCondition, leakedSettings]
