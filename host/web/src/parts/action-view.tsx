import type { Action } from '../../../src/dashboard/api.ts'
import { Badge, toneOf } from './badge.tsx'
import { CodeBlock } from './code-block.tsx'

/** What a long action has said so far. */
export function ActionView({ action: { name, state, tail } }: { readonly action: Action }) {
  return (
    <div className="stack">
      <div className="line">
        <Badge tone={state === 'running' ? 'warn' : toneOf(state)}>{state}</Badge>
        <span>{name}</span>
      </div>
      {tail.length > 0 && <CodeBlock wrap label={`output of ${name}`} text={tail.join('\n')} />}
    </div>
  )
}
