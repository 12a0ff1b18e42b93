import { useSignal } from '@preact/signals'
import { Page } from '../parts/page.tsx'
import { isSandbox } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { Erasures } from './erasures.tsx'
import { Holds } from './holds.tsx'
import { Lookup } from './lookup.tsx'

/** What is held of persons, its erasure, and what keeps it from that. */
export default function ErasurePage() {
  const mayChange = isAdmin.value && !isSandbox
  const changes = useSignal(0)
  return (
    <Page title="Data subjects">
      {isAdmin.value && <Lookup />}
      <Erasures mayChange={mayChange} changes={changes.value} />
      <Holds
        mayChange={mayChange}
        onChanged={() => {
          changes.value++
        }}
      />
    </Page>
  )
}
