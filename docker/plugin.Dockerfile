# The plugin and nothing else, for Kubernetes' image volumes (Strimzi's artifacts of type "image").
# In the root of the checkout, after "mvn -B package -DskipTests":
#   docker build -f docker/plugin.Dockerfile -t rabbitbridge-plugin dist/target/rabbitbridge-0.1.0
FROM scratch
COPY . /
