import { useSignal } from '@preact/signals'
import { type ComponentType, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { loadScript } from '../client/load.ts'
import { Failure } from './failure.tsx'

const TryAgain = createContext(() => {})

/** A component whose script is loaded when it is drawn first. In its place is said that the script did not come. */
export function later<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): ComponentType<P> {
  const loaded = () =>
    lazy<ComponentType<P>>(() =>
      loadScript(load).catch((error: unknown) => ({ default: () => <NotThere error={error} /> })),
    )
  let Component = loaded()
  return function Later(props: P) {
    const tries = useSignal(0)
    const again = () => {
      Component = loaded()
      tries.value++
    }
    return (
      <TryAgain.Provider value={again}>
        <Component key={tries.value} {...props} />
      </TryAgain.Provider>
    )
  }
}

function NotThere({ error }: { readonly error: unknown }) {
  return <Failure error={error} again={useContext(TryAgain)} />
}
