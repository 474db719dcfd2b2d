import { useState } from 'react'
import type { PanelShown } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { hrefOf, usePlace } from '../net/route.ts'
import { Empty, Loaded } from '../parts/notes.tsx'
import { Page } from '../parts/page.tsx'
import { PanelBlockView } from './panel-block.tsx'

/** `#/panel/<panel>/<page>/<item>`: a page of a plugin, drawn from its manifest. */
export function PanelPage() {
  const { rest } = usePlace()
  const data = useData('GET panels')
  const [id = '', wanted = '', ...item] = rest.split('/')
  return (
    <Loaded data={data}>
      {({ panels }) => {
        const panel = panels.find((each) => each.id === id)
        const page = panel?.pages.find((each) => each.id === wanted) ?? panel?.pages[0]
        if (!panel || !page)
          return (
            <Page title="This page is gone">
              <Empty title={`No plugin that runs has a page "${id}"`} action={<a href={hrefOf('plugins')}>Look at the plugins</a>} />
            </Page>
          )
        return <PanelView key={`${id}/${page.id}/${item.join('/')}`} panel={panel} page={page} item={item.join('/')} />
      }}
    </Loaded>
  )
}

interface PanelViewProps {
  readonly panel: PanelShown
  readonly page: PanelShown['pages'][number]
  readonly item: string
}

function PanelView({ panel, page, item }: PanelViewProps) {
  const [round, setRound] = useState(0)
  const first = panel.pages[0]
  const back = first && first.id !== page.id && (
    <a className="button" href={hrefOf('panel', panel.id)}>
      {first.title}
    </a>
  )
  return (
    <Page title={page.title} {...(page.about === undefined ? {} : { about: page.about })} actions={back}>
      {page.blocks.map((block, index) => (
        <PanelBlockView
          // A change asks the blocks again that show something, and keeps what is being typed.
          key={block.type === 'form' ? index : `${index} ${round}`}
          {...{ panel, block, item }}
          every={page.refreshSeconds === undefined ? undefined : page.refreshSeconds * 1000}
          onChanged={() => setRound(round + 1)}
        />
      ))}
      <p className="muted small">From the plugin {panel.plugin}.</p>
    </Page>
  )
}
