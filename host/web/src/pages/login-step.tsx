import { type ReactNode, useState } from 'react'
import type { LoginStep } from '../../../src/dashboard/api-logins.ts'
import { useApp, useDoing } from '../net/app.ts'
import { isSafeLink } from '../parts/blocks.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'

type StepOf<Type extends LoginStep['type']> = Extract<LoginStep, { readonly type: Type }>

interface ShownStepProps<Step = LoginStep> {
  readonly id: string
  readonly name: string
  readonly step: Step
}

/** What a person has to do now so that a login goes on, or what is waited for. */
export function ShownStep({ id, name, step }: ShownStepProps) {
  if (step.type === 'code') return <CodeStep step={step} />
  if (step.type === 'address') return <AddressStep id={id} name={name} step={step} />
  return <p>{step.type === 'trying' ? 'The login is kept. One call is made with it …' : `Waiting for ${name} …`}</p>
}

const timeOf = (at: number): string => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

function CodeStep({ step: { address, code, fullAddress, endsAt } }: { readonly step: StepOf<'code'> }) {
  return (
    <>
      <p>
        Open <Outside href={address}>{address}</Outside> in a browser, on any machine, and type in this code:
      </p>
      <dl className="figure-row great">
        <div>
          <dt>Code</dt>
          <dd>{code}</dd>
        </div>
      </dl>
      <div className="line">
        <CopyButton text={code} label="code" />
        {fullAddress !== undefined && <Outside href={fullAddress}>Open the page with the code in it</Outside>}
      </div>
      <p className="muted">{`It is good until ${timeOf(endsAt)}. This page goes on by itself.`}</p>
    </>
  )
}

function AddressStep({ id, name, step: { address, endsAt } }: ShownStepProps<StepOf<'address'>>) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [code, setCode] = useState('')
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => api.ask('POST providers/oauth/{id}/code', { params: { id }, body: { code: code.trim() } }))
      }}
    >
      <div className="line">
        <Outside href={address}>{`Open the page of ${name}`}</Outside>
        <CopyButton text={address} label="address" />
      </div>
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        hint="Where the browser shows a code, or ends at a page that cannot be shown, paste that code or the address of that page."
      />
      <ErrorNote error={error} />
      <div className="line">
        <Button look="primary" submit busy={busy} disabled={code.trim() === ''}>
          Hand in the code
        </Button>
      </div>
      <p className="muted">{`It can be done until ${timeOf(endsAt)}. This page goes on by itself.`}</p>
    </form>
  )
}

/** A page of somebody else; text where its address is none that is opened. */
function Outside({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!isSafeLink(href)) return children
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}
