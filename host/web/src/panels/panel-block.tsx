import { type ReactNode, useState } from 'react'
import { fieldsOf, type Values } from '../forms/schema-model.ts'
import { Button } from '../parts/button.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Empty } from '../parts/notes.tsx'
import { CalendarBlock, ChartBlock, LogBlock, MarkdownBlock } from './answer-blocks.tsx'
import type { BlockProps } from './block-props.ts'
import { Filters } from './filters.tsx'
import { FormBlock } from './form-block.tsx'
import { DetailBlock, TableBlock } from './row-blocks.tsx'

type Given = Pick<BlockProps, 'panel' | 'block' | 'item' | 'every'>

export function PanelBlockView(given: Given) {
  const { block } = given
  const content =
    block.type === 'form' || block.from === undefined ? (
      draw({ ...given, filter: undefined, empty })
    ) : (
      <Filtered {...given} from={block.from} />
    )
  if (block.title === undefined) return content
  return (
    <section>
      <h2>{block.title}</h2>
      {content}
    </section>
  )
}

/** Its first sentence stands out; what to do about it stands below. */
function empty(text: string): ReactNode {
  const end = text.indexOf('. ') + 1
  return end === 0 ? <Empty title={text} /> : <Empty title={text.slice(0, end)}>{text.slice(end + 1)}</Empty>
}

/** What its method takes stands above the block: whatever is filled in is asked for. */
function Filtered({ from, ...given }: Given & { readonly from: string }) {
  const [values, setValues] = useState<Values>({})
  const fields = fieldsOf(given.panel.inputs[from] ?? {})
  const filter = Object.keys(values).length === 0 ? undefined : values
  const clear = (
    <Button tiny onPress={() => setValues({})}>
      Clear the filters
    </Button>
  )
  return (
    <>
      {fields.length > 0 && <Filters fields={fields} values={values} onChange={setValues} />}
      {draw({
        ...given,
        filter,
        empty: (title) => (filter ? <Empty title="Nothing fits what was filled in" action={clear} /> : empty(title)),
      })}
    </>
  )
}

function draw(props: BlockProps): ReactNode {
  const { block } = props
  switch (block.type) {
    case 'table':
      return <TableBlock {...props} block={block} />
    case 'detail':
      return <DetailBlock {...props} block={block} />
    case 'form':
      return <FormBlock {...props} block={block} />
    case 'markdown':
      return block.text === undefined ? <MarkdownBlock {...props} block={block} /> : <Markdown text={block.text} />
    case 'chart':
      return <ChartBlock {...props} block={block} />
    case 'log':
      return <LogBlock {...props} block={block} />
    case 'calendar':
      return <CalendarBlock {...props} block={block} />
  }
}
