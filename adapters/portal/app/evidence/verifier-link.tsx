/** Leads to the page that verifies evidence in the browser; it works without a network, and saved to a disk. */
export function VerifierLink() {
  return (
    <p>
      <a href="/countersign-verify.html" target="_blank" rel="noopener">
        Verify evidence in this browser
      </a>{' '}
      <span class="quiet">Opens a page of its own, which sends nothing and can be saved.</span>
    </p>
  )
}
