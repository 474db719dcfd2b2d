import { memo, useState } from 'react'
import { useApp, useDoing } from '../net/app.ts'
import { usePlace } from '../net/route.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock, isDiff } from '../parts/code-block.tsx'
import { TextField } from '../parts/field.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { ApprovalNote, ClarifyNote } from './asks.tsx'
import { FileList } from './file-list.tsx'
import type { Bubble, Part, ToolPart } from './log.ts'

export interface BubbleProps {
  readonly bubble: Bubble
  readonly canEdit: boolean
  readonly onResend: (text: string, ordinal: number) => void
}

export const BubbleView = memo(({ bubble, canEdit, onResend }: BubbleProps) =>
  bubble.kind === 'user' ? <UserBubble bubble={bubble} canEdit={canEdit} onResend={onResend} /> : <AssistantBubble bubble={bubble} />,
)

function UserBubble({ bubble, canEdit, onResend }: Omit<BubbleProps, 'bubble'> & { readonly bubble: Extract<Bubble, { kind: 'user' }> }) {
  const [draft, setDraft] = useState<string>()
  const { ordinal, files = [] } = bubble
  const hint = files.length > 0 ? 'What came after it is taken out, and its files are not sent again.' : 'What came after it is taken out.'
  if (draft !== undefined && ordinal !== undefined)
    return (
      <div className="bubble">
        <TextField label="Your message" rows={4} value={draft} onChange={setDraft} hint={hint} />
        <div className="line">
          <Button
            look="primary"
            disabled={draft.trim() === '' || !canEdit}
            onPress={() => {
              onResend(draft, ordinal)
              setDraft(undefined)
            }}
          >
            Send again
          </Button>
          <Button onPress={() => setDraft(undefined)}>Cancel</Button>
        </div>
      </div>
    )
  return (
    <div className="bubble user">
      <div className="said">
        <span className="hidden">You: </span>
        {bubble.text}
        <FileList files={files} />
      </div>
      <div className="actions">
        {ordinal !== undefined && (
          <Button look="plain" tiny disabled={!canEdit} onPress={() => setDraft(bubble.text)}>
            Edit
          </Button>
        )}
      </div>
    </div>
  )
}

const ends: Readonly<Record<string, string>> = {
  interrupted: 'This answer was stopped before its end. Edit the message above to ask again.',
  failed: 'This turn failed. Edit the message above to try again.',
  length: 'The answer was cut at the longest that the model may write. Ask it to go on.',
  'max-iterations': 'The agent used all its steps for this turn. Ask it to go on.',
}

function AssistantBubble({ bubble }: { readonly bubble: Extract<Bubble, { kind: 'assistant' }> }) {
  return (
    <div className="bubble" data-end={bubble.end ?? 'running'}>
      <span className="hidden">Agent: </span>
      {bubble.parts.map((part) => (
        <PartView key={part.key} part={part} />
      ))}
      {bubble.end === undefined && bubble.parts.length === 0 && <span className="muted">Thinking …</span>}
      {bubble.end !== undefined && ends[bubble.end] && <span className="muted small">{ends[bubble.end]}</span>}
    </div>
  )
}

const PartView = memo(({ part }: { readonly part: Part }) => {
  switch (part.kind) {
    case 'text':
      return <Markdown text={part.text} />
    case 'reasoning':
      return (
        <details className="muted">
          <summary>Thoughts</summary>
          <Markdown text={part.text} />
        </details>
      )
    case 'tool':
      return part.depth === undefined ? <ToolRow tool={part} /> : <ChildRow child={part} depth={part.depth} />
    case 'approval':
      return <ApprovalNote ask={part.ask} open={part.open} />
    case 'clarify':
      return <ClarifyNote ask={part.ask} open={part.open} />
    case 'error':
      return (
        <div className="note bad" role="alert">
          {part.text}
        </div>
      )
    default:
      return <span className="muted small">{part.text}</span>
  }
})

function ToolRow({ tool }: { readonly tool: ToolPart }) {
  const { done } = tool
  const text = done?.text ?? tool.progress
  return (
    <details className="tool" open={done ? isDiff(done.text) : undefined}>
      <summary>
        {done ? <Badge tone={done.ok ? 'ok' : 'bad'}>{done.ok ? 'done' : 'failed'}</Badge> : <Badge tone="warn">running</Badge>}
        <span className="mono">{tool.name}</span>
        <span className="preview">{tool.preview}</span>
        {done && <span className="muted small figures">{formatDuration(done.durationMs)}</span>}
      </summary>
      <div>
        <CodeBlock wrap label={`arguments of ${tool.name}`} text={formatArgs(tool.args)} />
        {text !== '' && <CodeBlock wrap label={`result of ${tool.name}`} text={text} />}
      </div>
    </details>
  )
}

/** A child agent, as far to the right as it stands below others, with a way to stop it while it works. */
function ChildRow({ child, depth }: { readonly child: ToolPart; readonly depth: number }) {
  const { socket } = useApp()
  const { rest: session_id } = usePlace()
  const { busy, error, run } = useDoing()
  const stop = () => run(() => socket.call('subagent.interrupt', { session_id, subagent_id: child.key }))
  return (
    <div className="child" data-depth={Math.min(depth, 4)}>
      <div className="line">
        <ToolRow tool={child} />
        {child.done === undefined && (
          <Button tiny busy={busy} label={`Stop the child agent: ${child.preview}`} onPress={stop}>
            Stop
          </Button>
        )}
      </div>
      <ErrorNote error={error} />
    </div>
  )
}

function formatArgs(args: ToolPart['args']): string {
  return typeof args === 'string' ? args : JSON.stringify(args, undefined, 2)
}

function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}
