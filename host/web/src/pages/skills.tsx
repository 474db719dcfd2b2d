import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { CheckField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Page, Row, Section } from '../parts/page.tsx'

export function SkillsPage() {
  const skills = useData('GET skills')
  return (
    <Page title="Skills and tools" about="What the agent knows how to do, and what it may use for it.">
      <Section title="Toolsets" about="Tools that are off are not offered to the model.">
        <Toolsets />
      </Section>
      <Section title="Skills">
        <Loaded data={skills}>
          {(list) =>
            list.skills.length === 0 ? (
              <Empty title="There are no skills yet">A skill is a folder with a SKILL.md that tells the agent how something is done.</Empty>
            ) : (
              <ul className="rows">
                {list.skills.map(({ name, description, from, offered }) => (
                  <Row
                    key={`${from} ${name}`}
                    state={<Badge tone={offered ? 'ok' : 'quiet'}>{offered ? 'offered' : 'not offered'}</Badge>}
                    name={name}
                    about={description}
                    end={<span className="muted small">{from}</span>}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </Page>
  )
}

function Toolsets() {
  const { api } = useApp()
  const data = useData('GET tools/toolsets')
  const told = useTold()
  const { busy, error, run } = useDoing()
  const turn = (id: string, enabled: boolean) =>
    run(async () => {
      told(await api.ask('PUT tools/toolsets', { body: { id, enabled } }))
      data.reload()
    })
  return (
    <Loaded data={data}>
      {({ toolsets }) => (
        <>
          <ErrorNote error={error} />
          <ul className="rows">
            {toolsets.map(({ id, description, enabled, problem, tools }) => (
              <Row
                key={id}
                name={<CheckField label={id} checked={enabled} disabled={busy} onChange={(next) => turn(id, next)} />}
                about={
                  <>
                    {problem ? <span className="fault">{problem}</span> : description}
                    <br />
                    <span className="mono">{tools.map(({ name }) => name).join(' ')}</span>
                  </>
                }
              />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  )
}
