export interface BarsProps {
  readonly label: string
  readonly values: readonly { readonly name: string; readonly value: number }[]
}

const height = 100
const step = 10
/** A few bars are no wider than many. */
const leastSteps = 14

/** One bar for each value; the table beside it says the same to those who do not see it. */
export function Bars({ label, values }: BarsProps) {
  const most = Math.max(1, ...values.map(({ value }) => value))
  return (
    <svg
      className="bars"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(leastSteps, values.length) * step} ${height}`}
      preserveAspectRatio="none"
    >
      {values.map(({ name, value }, index) => {
        const tall = (value / most) * height
        return (
          <rect key={name} x={index * step + 1} y={height - tall} width={step - 2} height={tall}>
            <title>{`${name}: ${value.toLocaleString('en')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
