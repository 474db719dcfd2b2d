import type { AuxiliaryList } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded } from '../parts/notes.tsx'
import { Row, Section } from '../parts/page.tsx'

const names: Readonly<Record<string, string>> = {
  approval: 'Judging dangerous commands',
  compression: 'Shortening long conversations',
  title_generation: 'Naming conversations',
  vision: 'Describing pictures',
}

/** Which model does what is done beside the conversations. */
export function SideTasks() {
  const data = useData('GET model/auxiliary')
  return (
    <Section title="Side tasks" about="What is done beside the conversations. The settings below auxiliary give a task another model.">
      <Loaded data={data}>
        {({ tasks }) => (
          <ul className="rows">
            {tasks.map((task) => (
              <Row
                key={task.task}
                state={<Badge tone={task.problem === undefined ? 'quiet' : 'bad'}>{task.pinned ? 'pinned' : 'as the chat'}</Badge>}
                name={names[task.task] ?? task.task}
                about={describe(task)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

function describe({ provider, model, baseUrl, problem }: AuxiliaryList['tasks'][number]): string {
  if (problem !== undefined) return problem
  if (provider === undefined) return 'No model does it: none is chosen.'
  return [provider, model, baseUrl].filter((each) => each !== undefined).join(' · ')
}
