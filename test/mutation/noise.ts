import type { SyntaxNode, SyntaxPath } from './syntax.ts'

/** Calls whose arguments are words for people: an error's text, a line of the log. */
const wordy = /^(fail|describeIssue|Error|TypeError|AgentError)$|(^|\.)(log|logger)(\.|$)/

/** Calls that change nothing that a test of rules can see. */
const unseen = /(^|\.)unref$/

/** Says whether a change here changes only words for people, or nothing that can be seen. */
export function isNoise(path: SyntaxPath): boolean {
  if (isWordy(path.node) && path.parentPath?.node.type === 'ExpressionStatement') return true
  return path.find((ancestor) => isUnseen(ancestor.node) || (ancestor !== path && isWordy(ancestor.node))) !== null
}

function isWordy(node: SyntaxNode): boolean {
  return wordy.test(calleeOf(node))
}

function isUnseen(node: SyntaxNode): boolean {
  return unseen.test(calleeOf(node))
}

function calleeOf(node: SyntaxNode): string {
  if (node.type === 'NewExpression' || node.type.endsWith('CallExpression')) return node.callee ? dotted(node.callee) : ''
  return ''
}

/** `this.context.log.info` for the tree of these words, `?.` as `.`. */
function dotted(node: SyntaxNode): string {
  if (node.type === 'Identifier') return node.name ?? ''
  if (node.type === 'ThisExpression') return 'this'
  const isMember = node.type.endsWith('MemberExpression') && node.object && node.property
  return isMember && node.object && node.property ? `${dotted(node.object)}.${dotted(node.property)}` : ''
}
