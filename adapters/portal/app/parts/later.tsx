import { useSignal } from '@preact/signals'
import { type ComponentType, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { loadScript } from '../client/load.ts'
import { Failure } from './failure.tsx'

const TryAgain = createContext(() => {})

/** A component whose script is loaded when it is drawn first, or ahead of that. */
export type Later<P> = ComponentType<P> & { preload(): void }

/** Makes such a component; where its script does not come, that is shown in its place. */
export function later<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): Later<P> {
  const loaded = () =>
    lazy<ComponentType<P>>(() =>
      loadScript(load).catch((error: unknown) => ({ default: () => <NotThere error={error} /> })),
    )
  let Component = loaded()
  function LoadedLater(props: P) {
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
  return Object.assign(LoadedLater, { preload: () => void Component.preload() })
}

/** A component whose script is there from the beginning, among those that are loaded later. */
export const atHand = <P extends object>(component: ComponentType<P>): Later<P> =>
  Object.assign(component, { preload: () => {} })

function NotThere({ error }: { readonly error: unknown }) {
  return <Failure error={error} again={useContext(TryAgain)} />
}
