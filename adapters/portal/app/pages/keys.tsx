import { useSignal } from '@preact/signals'
import { CustomerKeys } from '../keys/customer-keys.tsx'
import { KeyRequests } from '../keys/requests.tsx'
import { SigningKeys } from '../keys/signing-keys.tsx'
import { Page } from '../parts/page.tsx'
import { isSandbox } from '../paths.ts'
import { isAdmin } from '../session.ts'

export default function Keys() {
  const made = useSignal(0)
  const mayChange = isAdmin.value && !isSandbox
  return (
    <Page title="API and signing keys">
      <CustomerKeys mayChange={mayChange} changes={made.value} />
      <KeyRequests
        mayChange={mayChange}
        onMade={() => {
          made.value++
        }}
      />
      <SigningKeys mayChange={mayChange} />
    </Page>
  )
}
