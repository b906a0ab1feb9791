export default function Page() {
  return <p>This application receives events at /webhooks.</p>;
}
