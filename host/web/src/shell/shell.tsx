import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'
import { sayFailure } from '../net/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { hrefOf, usePlace } from '../net/route.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ErrorNote, Skeleton } from '../parts/notes.tsx'
import { type PageEntry, pages, panelPage } from './pages.ts'
import { Palette } from './palette.tsx'
import { applyTheme, keepTheme, storedTheme, type Theme, themes } from './theme.ts'

const groups = ['Talk', 'Set up', 'Look after'] as const
/** The places at the bottom of a small screen; the fifth is all the others. */
const tabs = ['chat', 'status', 'platforms', 'models']

export function Shell() {
  const place = usePlace()
  const [over, setOver] = useState<'palette' | 'all'>()
  const page = [...pages, panelPage].find(({ id }) => id === place.page)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOver('palette')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    document.title = page ? `${page.name} · agent` : 'agent'
  }, [page])
  const close = () => setOver(undefined)
  return (
    <div className="shell">
      <main className="main">{page ? <PageView page={page} /> : <StartView />}</main>
      <nav className="nav" aria-label="Pages">
        <span className="brand">agent</span>
        <PageLinks current={place.page} />
        <PanelLinks />
        <div className="foot">
          <Switches />
          <button type="button" className="button tiny" onClick={() => setOver('palette')}>
            Go to … <kbd>Ctrl K</kbd>
          </button>
        </div>
      </nav>
      <nav className="tabbar" aria-label="Main pages">
        {pages
          .filter(({ id }) => tabs.includes(id))
          .map(({ id, name }) => (
            <a key={id} href={hrefOf(id)} aria-current={id === place.page ? 'page' : undefined}>
              {name}
            </a>
          ))}
        <button type="button" onClick={() => setOver('all')} aria-current={tabs.includes(place.page) ? undefined : 'page'}>
          More
        </button>
      </nav>
      {over === 'palette' && <Palette onClose={close} />}
      {over === 'all' && (
        <Dialog title="All pages" onClose={close}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: a link inside was followed, by pointer or key; the dialog has done its work. */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click. */}
          <div className="nav-copy" onClick={close}>
            <PageLinks current={place.page} />
            <PanelLinks />
          </div>
          <Switches />
        </Dialog>
      )}
    </div>
  )
}

function PageLinks({ current }: { readonly current: string }) {
  return groups.map((group) => (
    <div key={group}>
      <h2>{group}</h2>
      <ul>
        {pages
          .filter((page) => page.group === group)
          .map(({ id, name }) => (
            <li key={id}>
              <a href={hrefOf(id)} aria-current={id === current ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
      </ul>
    </div>
  ))
}

/** The first page of each panel of a plugin. */
function PanelLinks() {
  const { value } = useData('GET panels')
  const place = usePlace()
  if (!value || value.panels.length === 0) return null
  return (
    <div>
      <h2>{panelPage.group}</h2>
      <ul>
        {value.panels.map(({ id, name }) => (
          <li key={id}>
            <a href={hrefOf('panel', id)} aria-current={place.page === 'panel' && place.rest.split('/')[0] === id ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Profile and theme. Another profile loads the page again, so that nothing of this one stays. */
function Switches() {
  const { value } = useData('GET status')
  const [chosen, setChosen] = useState(storedTheme)
  const theme = chosen ?? value?.theme ?? 'system'
  useEffect(() => applyTheme(theme), [theme])
  const choose = (next: Theme) => {
    keepTheme(next)
    setChosen(next)
  }
  return (
    <>
      {value && value.profiles.length > 1 && (
        <Field label="Profile">
          {(ids) => (
            <select {...ids} className="input" value={value.profile} onChange={(event) => openProfile(event.target.value)}>
              {value.profiles.map((profile) => (
                <option key={profile}>{profile}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Theme">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={theme}
            onChange={(event) => choose(themes.find((one) => one === event.target.value) ?? 'system')}
          >
            <option value="system">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        )}
      </Field>
      {value?.authRequired && <LogOut />}
    </>
  )
}

/** The page that is loaded after it is the login, and a login leads back to this place. */
function LogOut() {
  const { api, tell } = useApp()
  const { busy, run } = useDoing()
  const leave = () =>
    run(() =>
      api.ask('POST auth/logout').then(
        ({ next }) => (next === undefined ? location.reload() : location.assign(next)),
        (error: unknown) => tell(sayFailure(error), 'bad'),
      ),
    )
  return (
    <Button tiny busy={busy} onPress={leave}>
      Log out
    </Button>
  )
}

function openProfile(profile: string): void {
  const url = new URL(location.href)
  url.searchParams.set('profile', profile)
  location.assign(url)
}

/** Without a place: the first run where nothing can answer yet, otherwise the chat. */
function StartView() {
  const { value, error, reload } = useData('GET setup')
  const { page } = usePlace()
  useEffect(() => {
    if (value && page === '') location.replace(hrefOf(value.configured ? 'chat' : 'start'))
  }, [value, page])
  if (page !== '')
    return (
      <div className="page">
        <h1>There is no page "{page}"</h1>
        <a href={hrefOf('')}>Go to the start</a>
      </div>
    )
  return error === undefined ? <Skeleton /> : <ErrorNote error={error} retry={reload} />
}

function PageView({ page }: { readonly page: PageEntry }) {
  return (
    <Guard key={page.id}>
      <Suspense fallback={<Skeleton />}>
        <page.view />
      </Suspense>
    </Guard>
  )
}

/** A page that fails to load or to draw does not take the others with it. */
class Guard extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}
  static getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <div className="page">
        <h1>This page could not be drawn</h1>
        <ErrorNote error={this.state.error} retry={() => location.reload()} />
      </div>
    )
  }
}
