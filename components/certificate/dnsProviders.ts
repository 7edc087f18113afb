/**
 * The codes of the DNS providers of lego 4.35.2, as `lego dnshelp` lists them. `manual` is left out: it asks a person for each
 * certificate.
 */
export const DNS_PROVIDERS: readonly string[] = (
    "acme-dns active24 alidns aliesa allinkl alwaysdata anexia artfiles arvancloud auroradns autodns " +
    "axelname azion azure azuredns baiducloud beget binarylane bindman bluecat bluecatv2 bookmyname " +
    "brandit bunny checkdomain civo clouddns cloudflare cloudns cloudru cloudxns com35 conoha conohav3 " +
    "constellix corenetworks cpanel czechia ddnss derak desec designate digitalocean directadmin dnsexit " +
    "dnshomede dnsimple dnsmadeeasy dnspod dode domeneshop dreamhost duckdns dyn dyndnsfree dynu easydns " +
    "edgecenter edgedns edgeone efficientip epik eurodns excedo exec exoscale f5xc freemyip gandi gandiv5 " +
    "gcloud gcore gigahostno glesys godaddy googledomains gravity hetzner hostingde hostinger hostingnl " +
    "hosttech httpnet httpreq huaweicloud hurricane hyperone ibmcloud iij iijdpf infoblox infomaniak " +
    "internetbs inwx ionos ionoscloud ipv64 ispconfig ispconfigddns iwantmyname jdcloud joker keyhelp " +
    "leaseweb liara lightsail limacity linode liquidweb loopia luadns mailinabox manageengine metaname " +
    "metaregistrar mijnhost mittwald myaddr mydnsjp mythicbeasts namecheap namedotcom namesilo namesurfer " +
    "nearlyfreespeech neodigit netcup netlify netnod nicmanager nicru nifcloud njalla nodion ns1 octenium " +
    "onecloudru onlinenet oraclecloud otc ovh pdns plesk porkbun rackspace rainyun rcodezero regfish " +
    "regru rfc2136 rimuhosting route53 safedns sakuracloud scaleway selectel selectelv2 selfhostde " +
    "servercow shellrent simply sonic spaceship stackpath syse technitium tencentcloud timewebcloud " +
    "todaynic transip ucloud ultradns uniteddomains variomedia vegadns vercel versio vinyldns virtualname " +
    "vkcloud volcengine vscale vultr webnames webnamesca websupport wedos westcn yandex yandex360 " +
    "yandexcloud zoneedit zoneee zonomi"
).split(" ");
