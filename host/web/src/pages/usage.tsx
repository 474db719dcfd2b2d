import { useState } from 'react'
import type { UsageReport, UsageRow } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { Bars } from '../parts/bars.tsx'
import { SelectField } from '../parts/field.tsx'
import { Empty, Loaded } from '../parts/notes.tsx'
import { Page, Section } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'

const spans = ['7', '30', '90', '365'].map((days) => ({ value: days, name: `${days} days` }))
const count = (value: number): string => value.toLocaleString('en')
const columnsOf = (name: string): readonly Column<UsageRow>[] => [
  { name, show: ({ key }) => key },
  { name: 'Requests', number: true, show: ({ calls }) => count(calls) },
  { name: 'Read', number: true, show: ({ input }) => count(input) },
  { name: 'From cache', number: true, show: ({ cached }) => count(cached) },
  { name: 'Written', number: true, show: ({ output }) => count(output) },
  { name: 'Cost', number: true, show: ({ cost }) => (cost === undefined ? 'unknown' : `$${cost.toFixed(2)}`) },
]
const keyOf = ({ key }: UsageRow): string => key

export function UsagePage() {
  const [days, setDays] = useState('30')
  const data = useData('GET analytics/usage', { query: { days } })
  return (
    <Page title="Usage" about="Tokens and what they cost.">
      <SelectField label="Time" value={days} choices={spans} onChange={setDays} />
      <Loaded data={data}>
        {(report) => (
          <>
            <Budgets budgets={report.budgets} />
            {report.days.every(({ calls }) => calls === 0) ? (
              <Empty title="Nothing was used in this time">Every request to a model is counted here.</Empty>
            ) : (
              <Figures report={report} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ report: { days, models, sources } }: { readonly report: UsageReport }) {
  const values = days.map(({ key, input, output }) => ({ name: key, value: input + output }))
  const total = values.reduce((sum, { value }) => sum + value, 0)
  return (
    <>
      <Section title="By day" about={`${count(total)} tokens in all.`}>
        <div className="card padded">
          <Bars label={`Tokens a day, ${count(total)} in all; the table below has the figures`} values={values} />
        </div>
        <details>
          <summary>Table of days</summary>
          <Table stacks label="Usage by day" columns={columnsOf('Day')} rows={days} keyOf={keyOf} />
        </details>
      </Section>
      <Section title="By model">
        <Table stacks label="Usage by model" columns={columnsOf('Model')} rows={models} keyOf={keyOf} />
      </Section>
      <Section title="By door">
        <Table stacks label="Usage by door" columns={columnsOf('Door')} rows={sources} keyOf={keyOf} />
      </Section>
    </>
  )
}

function Budgets({ budgets }: Pick<UsageReport, 'budgets'>) {
  if (budgets.length === 0) return null
  return (
    <Section title="Budgets">
      <ul className="rows">
        {budgets.map(({ name, used, limit, unit }) => (
          <li key={name}>
            <div className="row">
              <span className="grow">{name}</span>
              <span className="figures">{`${count(used)} of ${count(limit)} ${unit}`}</span>
              <meter aria-label={name} min={0} max={limit} high={limit * 0.8} optimum={0} value={used} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
