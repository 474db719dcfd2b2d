import type { Token, Tokens } from 'marked'
import { Fragment, memo, type ReactNode, useRef } from 'react'
import { isSafeLink, noBlocks, readBlocks } from './blocks.ts'
import { CodeBlock } from './code-block.tsx'

/** Markdown as elements: no HTML is ever parsed, so that a text cannot bring a script, a style or a foreign image. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useRef(noBlocks)
  blocks.current = readBlocks(blocks.current, text)
  const { closed, open } = blocks.current
  return (
    <div className="markdown">
      {keyed(closed, (token) => (
        <Block raw={token.raw} token={token} />
      ))}
      {keyed(open, (token) => drawToken(token))}
    </div>
  )
}

/** A closed block is drawn once: its text decides. */
const Block = memo(
  ({ token }: { readonly raw: string; readonly token: Token }) => drawToken(token),
  (before, after) => before.raw === after.raw,
)

/** Tokens have no id; where they stand in the text is one. */
function keyed(tokens: readonly Token[], draw: (token: Token) => ReactNode): readonly ReactNode[] {
  let at = 0
  return tokens.map((token) => {
    const key = at
    at += token.raw.length + 1
    return <Fragment key={key}>{draw(token)}</Fragment>
  })
}

function drawAll(tokens: readonly Token[] | undefined): ReactNode {
  return tokens && keyed(tokens, drawToken)
}

/** marked's own tokens; its extensions, which are not used, would make more. */
function drawToken(token: Token): ReactNode {
  const known = token as Known
  switch (known.type) {
    case 'code':
      return <CodeBlock text={known.text} label={known.lang ? `${known.lang} code` : 'code'} />
    case 'list':
      return drawList(known)
    case 'table':
      return drawTable(known)
    case 'link':
      return isSafeLink(known.href) ? (
        <a href={known.href} target="_blank" rel="noreferrer noopener">
          {drawAll(known.tokens)}
        </a>
      ) : (
        drawAll(known.tokens)
      )
    case 'image':
      return isSafeLink(known.href) ? (
        <a href={known.href} target="_blank" rel="noreferrer noopener">
          {`Image: ${known.text || known.href}`}
        </a>
      ) : (
        known.text
      )
    default:
      return drawPlain(known)
  }
}

type Known =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text

function drawPlain(token: Exclude<Known, Tokens.Code | Tokens.List | Tokens.Table | Tokens.Link | Tokens.Image>): ReactNode {
  switch (token.type) {
    case 'space':
      return null
    case 'paragraph':
      return <p>{drawAll(token.tokens)}</p>
    case 'heading':
      // The page has its own h1 and h2.
      return <h3>{drawAll(token.tokens)}</h3>
    case 'strong':
      return <strong>{drawAll(token.tokens)}</strong>
    case 'em':
      return <em>{drawAll(token.tokens)}</em>
    case 'del':
      return <del>{drawAll(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'blockquote':
      return <blockquote>{drawAll(token.tokens)}</blockquote>
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'text':
      return 'tokens' in token && token.tokens ? drawAll(token.tokens) : token.text
    default:
      return token.raw
  }
}

function drawList(list: Tokens.List): ReactNode {
  const items = keyed(list.items, (token) => {
    const item = token as Tokens.ListItem
    return (
      <li>
        {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label={item.checked ? 'done' : 'to do'} />}
        {drawAll(item.tokens)}
      </li>
    )
  })
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function drawTable(table: Tokens.Table): ReactNode {
  const rows = [...table.rows.entries()]
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>{drawCells(table.header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map(([key, row]) => (
            <tr key={key}>{drawCells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function drawCells(row: readonly Tokens.TableCell[], Cell: 'td' | 'th'): ReactNode {
  return [...row.entries()].map(([key, cell]) => <Cell key={key}>{drawAll(cell.tokens)}</Cell>)
}
