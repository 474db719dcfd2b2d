import { useEffect, useState } from 'react'
import type { PanelShown } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { hrefOf, usePlace } from '../net/route.ts'
import { CheckField } from '../parts/field.tsx'
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
  const [follows, setFollows] = useState(true)
  const { refreshSeconds } = page
  useEffect(() => {
    document.title = `${page.title} · agent`
  }, [page])
  const first = panel.pages[0]
  const actions = (
    <>
      {refreshSeconds !== undefined && <CheckField label="Follow" checked={follows} onChange={setFollows} />}
      {first && first.id !== page.id && (
        <a className="button" href={hrefOf('panel', panel.id)}>
          {first.title}
        </a>
      )}
    </>
  )
  return (
    <Page title={page.title} {...(page.about === undefined ? {} : { about: page.about })} actions={actions}>
      {page.blocks.map((block, index) => (
        <PanelBlockView
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a page stay where they are.
          key={index}
          {...{ panel, block, item }}
          every={refreshSeconds === undefined || !follows ? undefined : refreshSeconds * 1000}
        />
      ))}

      <p className="muted small">From the plugin {panel.plugin}.</p>
    </Page>
  )
}
