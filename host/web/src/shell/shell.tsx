import { Component, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { sayFailure } from '../net/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { hrefOf, type Place, parsePlace, usePlace } from '../net/route.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ErrorNote, Skeleton } from '../parts/notes.tsx'
import { groupOf, groups, type PageEntry, pages, panelPage } from './pages.ts'
import { Palette } from './palette.tsx'
import { applyTheme, keepTheme, storedTheme, type Theme, themes } from './theme.ts'

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
        <PageLinks place={place} />
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
            <PageLinks place={place} />
          </div>
          <Switches />
        </Dialog>
      )}
    </div>
  )
}

/** The pages of the program, and after them the first page of each panel of a plugin. */
function PageLinks({ place }: { readonly place: Place }) {
  const { value } = useData('GET panels')
  const [panel] = place.rest.split('/')
  const all = [
    ...pages.map(({ id, name, group }) => ({ group, name, href: hrefOf(id), here: id === place.page })),
    ...(value?.panels ?? []).map(({ id, name, group }) => ({
      ...{ group: groupOf[group], name, href: hrefOf('panel', id), here: place.page === 'panel' && panel === id },
    })),
  ]
  return groups.map((group) => {
    const links = all.filter((link) => link.group === group)
    return (
      links.length > 0 && (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {links.map(({ name, href, here }) => (
              <li key={href}>
                <PageLink href={href} here={here}>
                  {name}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      )
    )
  })
}

/** The link of the page that is shown is in sight, however many there are. */
function PageLink({ href, here, children }: { readonly href: string; readonly here: boolean; readonly children: string }) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (here) link.current?.scrollIntoView({ block: 'nearest' })
  }, [here])
  return (
    <a ref={link} href={href} aria-current={here ? 'page' : undefined}>
      {children}
    </a>
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

/** Without a place: the first run where nothing can answer yet, otherwise the chat. A panel's id alone leads to its page. */
function StartView() {
  const { value, error, reload } = useData('GET setup')
  const panels = useData('GET panels')
  const { page, rest } = usePlace()
  useEffect(() => {
    // Who has gone somewhere since this was drawn is left there.
    if (value && page === '' && parsePlace(location.hash).page === '') location.replace(hrefOf(value.configured ? 'chat' : 'start'))
  }, [value, page])
  const isPanel = panels.value?.panels.some(({ id }) => id === page) === true
  useEffect(() => {
    if (isPanel) location.replace(hrefOf('panel', rest === '' ? page : `${page}/${rest}`))
  }, [isPanel, page, rest])
  if (isPanel || (page !== '' && !panels.value && panels.error === undefined)) return <Skeleton />
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
