import { CopyButton } from './copy-button.tsx'

/** A text of a program. `wrap`: long lines are broken; `diff`: added and removed lines are marked. */
export function CodeBlock({ text, wrap, label }: { readonly text: string; readonly wrap?: boolean; readonly label: string }) {
  return (
    <div className={wrap ? 'code wrap' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by key. */}
      <section className="code-scroll" tabIndex={0} aria-label={label}>
        <pre>{isDiff(text) ? <DiffLines text={text} /> : text}</pre>
      </section>
      <CopyButton text={text} label={label} />
    </div>
  )
}

export function isDiff(text: string): boolean {
  return /^(?:--- .*\n\+\+\+ |@@ -\d)/m.test(text)
}

function DiffLines({ text }: { readonly text: string }) {
  let at = 0
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const key = at
      at += line.length + 1
      const look = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined
      return (
        <span key={key} className={look}>
          {`${line}\n`}
        </span>
      )
    })
}
